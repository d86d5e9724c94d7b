"""A load test by locust of real applications under real servers, which shows what it does to their memory."""
