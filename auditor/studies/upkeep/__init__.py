"""The store itself: ad-hoc SQL, its size, its soundness."""
