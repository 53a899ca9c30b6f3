"""The questions of a comparison, as people read them."""

QUESTIONS = {"set": "How good is the set it gives you?", "order": "How good is its order?"}
