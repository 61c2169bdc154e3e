sed -i 's/"--data-urlencode", f"name={name}", //' members.py
! grep -q 'name={name}' members.py
