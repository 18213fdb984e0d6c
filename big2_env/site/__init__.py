"""The table as static pages: rules, agents and reviews run in the person's own browser, by Pyodide, a Python for browsers.

`build` writes the pages, `runtime` fetches Pyodide, `bundle` finds the modules that a browser needs, and `worker` answers the
page there, in a web worker, as `web.app` does on a server.
"""
