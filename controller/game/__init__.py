"""What lies on the table and what the rules make of it; nothing here does I/O."""
