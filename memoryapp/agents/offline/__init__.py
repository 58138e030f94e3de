"""The offline responder: answers, learns and condenses by plain rules when no model is at hand."""

from memoryapp.agents.offline.responder import model

__all__ = ["model"]
