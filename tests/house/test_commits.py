"""Commit subjects: `area: Verb object`, imperative, at most 65 characters."""

from __future__ import annotations

import re
import subprocess

import pytest
from places import ROOT

SINCE = "f7935c5"
"""Subjects are checked from the commit after this one; a checkout without it checks its last commit alone."""
SUBJECT = re.compile(r"[a-z0-9][a-z0-9_ ,./-]*: (?P<verb>[A-Z][a-z]+(?:-[a-z]+)?)(?: \S.*)?")
NOT_IMPERATIVE = re.compile(r"(?!Need|Feed|Seed|Speed|Embed|Shed|Bring|String|Ring)[\w-]+(?:ed|ing|[^su]s)")


def subjects() -> list[str]:
    """Return the subjects to check; none if this is not a checkout."""
    for revisions in ([f"{SINCE}..HEAD", "--no-merges"], ["HEAD", "-1"]):
        done = subprocess.run(["git", "log", "--format=%s", *revisions], cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.splitlines()
    return []


def problem(subject: str) -> str:
    """Return what is wrong with a subject, "" if nothing is."""
    if len(subject) > 65:
        return f"{len(subject)} characters"
    found = SUBJECT.fullmatch(subject)
    if found is None:
        return "not `area: Verb object`"
    return "not imperative" if NOT_IMPERATIVE.fullmatch(found["verb"]) else ""


def test_commits__have_subjects_that_read_as_commands() -> None:
    assert {subject: problem(subject) for subject in subjects() if problem(subject)} == {}


@pytest.mark.parametrize(
    "subject",
    ["envs: Add masks", "docs: Update dou_dizhu_4p results", "cli, tui: Pass seeds", "games: Focus", "web: Double-click cards"],
)
def test_subject__of_the_form_is_accepted(subject: str) -> None:
    assert problem(subject) == ""


@pytest.mark.parametrize(
    "subject",
    [
        "Add masks",
        "envs: add masks",
        "envs: Added masks",
        "envs: Adds masks",
        "envs: Adding masks",
        "envs: Double-clicked",
        "envs: Add " + "x" * 60,
    ],
)
def test_subject__of_another_form_is_refused(subject: str) -> None:
    assert problem(subject) != ""
