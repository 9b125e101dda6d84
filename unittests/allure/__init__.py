"""What a run leaves for Allure: labels, steps, environment, categories, and the report made of it."""
