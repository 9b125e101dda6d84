"""What runs pods in the lab: nodes, their devices, the scheduler and the kubelets."""
