"""All pages of a list over one bare connection, and nothing else: `page_loop.py URL`
prints each page as a line.
"""

import json
import sys
from http.client import HTTPConnection
from urllib.parse import urlsplit

url = urlsplit(sys.argv[1])
connection = HTTPConnection(url.netloc)
path = f"{url.path}?{url.query}"
cursor = ""
while cursor is not None:
    connection.request("GET", f"{path}&next_cursor={cursor}" if cursor else path)
    page = connection.getresponse().read()
    sys.stdout.buffer.write(page + b"\n")
    cursor = json.loads(page)["next_cursor"]
