"""How an answer is read, judged and explained.

    question     what a question is: its right formula, its usual mistakes, its inputs
    mistakes     the catalogue: what each mistake is called
    plain_data   an answer as plain data, which can be sent to another process
    answers      an answer in the form of the right value
    judging      whether an answer is right, and what it is worth
    explaining   why it is wrong: the mistake behind each entry
    wording      phrases of the messages

Errors here, in the questions, exams and sets have names: `Unreadable` and `WrongAnswer` are about an answer,
`InvalidQuestion`, `InvalidTask` and `NotebookError` about what an author wrote. An unknown key or another bad
argument is Python's KeyError or ValueError. Each message says what is wrong and what to do; only commands
turn an error into an exit.
"""
