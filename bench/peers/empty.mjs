// Node with nothing to do: what every command pays before its first line.
