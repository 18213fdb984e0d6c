"""The table as static pages: rules, agents and reviews run in the browser with Pyodide, Python compiled to WebAssembly.

`build` writes the pages, `runtime` downloads Pyodide, `bundle` finds the modules that a browser needs,
`day_results` computes agents' results in the deals of coming days. `worker` answers the
page in a web worker, as `browser.app` does on a server.
"""
