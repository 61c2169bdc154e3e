# Nothing to install: the desk needs Python and curl only. Writes down that it was here.
test -f /environment/app/server.py
date -u -d @0 +%Y > prepared.txt
