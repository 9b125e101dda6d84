"""What is attached to Allure and shown in the report: pictures, objects, events, figures; never a secret."""
