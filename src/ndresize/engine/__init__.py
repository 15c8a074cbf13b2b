"""How a plan is run. Nothing here knows what system a plan came from."""
