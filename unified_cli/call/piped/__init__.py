"""Operations for every id or record on standard input."""
