/** Part of every secret of a run, so that a search finds one wherever it is. */
export const secretMark = 'TOPSECRET'
