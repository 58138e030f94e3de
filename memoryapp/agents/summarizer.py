"""The summarizer: condenses messages that leave the history, and names chats.

For both it is sent one user message, with the bodies escaped by `fences.escape`:

    <messages>
    <message role="summary">what an earlier summary said</message>
    <message role="user">I moved to Vienna.</message>
    <message role="assistant">How do you like it?</message>
    </messages>

Its reply is plain text: the summary, or the title. The two jobs differ in their instructions.
"""
