"""Nova's external scheduler: after its own filters Nova asks a service which hosts to take, and in which order.

As in SAP's Nova (`[filter_scheduler]external_scheduler_api_url`); Cortex is that service (Cortex sheet §2).
"""
