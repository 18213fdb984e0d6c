"""The table as static pages: rules, agents and reviews run in the browser with Pyodide, Python compiled to WebAssembly.

`build` writes the pages, `runtime` downloads Pyodide, `bundle` finds the modules that a browser needs. `worker` answers the
page in a web worker, as `web.app` does on a server.
"""
