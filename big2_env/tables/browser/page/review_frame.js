// The frame in which a game is looked through: the page that it shows is a whole document, with styles and a script of its own.

/** Be another document. */
function show(page) {
  document.open();
  document.write(page);
  document.close();
}
