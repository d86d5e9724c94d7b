"""What tests share: values, oracles, twins of applications, and checks of outcomes. A module says what it gives."""
