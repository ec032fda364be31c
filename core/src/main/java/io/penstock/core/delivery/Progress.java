package io.penstock.core.delivery;

import io.penstock.core.window.Outcome;

/**
 * What one answer brought.
 *
 * @param outcome what the window learns
 * @param acknowledged documents that have their end through it, other than as dead letters
 * @param trouble why not everything was taken, in words for people, or the empty text
 * @param tooLargeBytes size of a body that was refused as too large, or 0
 */
public record Progress(Outcome outcome, int acknowledged, String trouble, long tooLargeBytes) {}
