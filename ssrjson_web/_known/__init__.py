"""What plans of libraries' classes rest on."""
