"""The catalogue as an OpenAPI document, for generators, validators and mock servers."""
