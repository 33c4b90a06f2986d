"""The same call as a script of Typer and httpx, with the checks of this program:
`one_call.py URL` prints the page.
"""

import json
import os
import ssl

import httpx
import typer


def main(url: str) -> None:
    context = ssl.create_default_context()
    context.load_verify_locations(os.environ["UNIFIED_CA_BUNDLE"])
    headers = {
        "Accept": "application/json",
        "Authorization": f"Bearer {os.environ['UNIFIED_TOKEN']}",
    }
    answer = httpx.get(url, headers=headers, verify=context, timeout=120).raise_for_status()
    json.loads(answer.content)
    typer.echo(answer.content)


typer.run(main)
