sed -i 's/Reading room</Welcome</' server.py
grep -q 'Welcome' server.py
