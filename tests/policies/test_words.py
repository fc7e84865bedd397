"""Policies named in text: what is written is read back as the same policy."""

import pytest
from cli.running import MY_POLICIES

import palace_sim as ps
from palace_sim.policies.words import policy_from_text, policy_to_text


@pytest.mark.parametrize(
    ("policy", "like", "text"),
    [
        (ps.policies.get("stay"), None, "stay"),
        (ps.policies.get("tight"), None, "tight"),
        (ps.policies.get("tight", aggression=1 / 3).named("x"), None, "tight(aggression=0.3333333333333333)"),
        (ps.policies.get("tight"), "tight(aggression=0.25)", "tight"),
        (ps.policies.get("general", bet=0.1, army=2), "general", "general(bet=0.1, army=2.0)"),
    ],
)
def test_text_and_policy(policy, like, text):
    """Only what differs from the policy that the name alone means is written, to the last digit."""
    assert policy_to_text(policy, like) == text
    read = policy_from_text(text)
    assert (read.family, read.values) == (policy.family, policy.values)


@pytest.mark.parametrize("place", ["plain/words_a.py", "with (1) and.py/words_b.py"])
def test_policies_of_files_take_parameters(tmp_path, place):
    path = tmp_path / place
    path.parent.mkdir()
    path.write_text(MY_POLICIES)
    plain = policy_from_text(f"{path}:caller")
    read = policy_from_text(f"{path}:caller(when=\n  0.5)")
    assert (plain.params, read.params) == ({"when": 1.0}, {"when": 0.5})
    assert read.family is plain.family
    assert policy_to_text(read.named("found"), f"{path}:caller(when=2)") == f"{path}:caller(when=0.5)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tight(", "takes a name, name"),
        ("tight(aggression)", "aggression takes a number, got ''"),
        ("tight(agression=1)", "no parameter 'agression'"),
        ("a policy", "takes a name, name"),
        ("none.py:x(a=1)", "there is no file none.py"),
    ],
)
def test_what_is_no_policy_is_said(text, message):
    with pytest.raises(ValueError, match=message):
        policy_from_text(text)
