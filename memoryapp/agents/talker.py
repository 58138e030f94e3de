"""The talker: what it is sent, and its reply as a stream.

A prompt has three parts, in this order, so that a provider's cache of the beginning stays good:

1. The instructions: `GUARDRAILS`, then, when there is a persona, `PERSONA` and one `- text` line
   for each of its prompts.
2. The history. A summary is part of a user message and fenced:

       <summary>
       {SUMMARY_NOTE}
       what was said
       </summary>

   Neighbours of the same role are joined by an empty line, because chat templates of local models
   refuse two messages in a row from one side.
3. The question: a fence that always is there, an empty line, then the person's own words:

       <memory>
       {MEMORY_NOTE}
       Now: Friday 2026-08-21 14:05, Europe/Vienna
       Facts:
       - [identity] name: Ada
       - [task, due] ship the article: Friday 2026-08-21
       Earlier turns:
       - [2026-07-03] user: we deploy with Terraform
       </memory>

       What do I use for deployments?

   `Facts:` and `Earlier turns:` are left out when there are none. What stands in a fence is
   escaped (`fences.escape`) and each memory is one line.
"""
