"""A load test by locust of real applications under real servers. It shows how their memory grows."""
