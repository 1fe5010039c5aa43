# Stub until tools/ is in place.
release:
	cmake --preset release && cmake --build --preset release
