"""Adapters: what others call tools, executors and backends, on top of Sandbox.

Each module imports the framework it is for, and is imported by name: sbx.adapters.langchain, llama_index,
smolagents, llm_sandbox. The package itself needs none of them.
"""
