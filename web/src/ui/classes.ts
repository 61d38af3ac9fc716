/** Joins class names and skips missing ones. */
export const joinClasses = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(" ");

/** A link or button in a row of tabs. */
export const getTabClass = (isCurrent: boolean): string =>
	joinClasses(
		"-mb-px whitespace-nowrap border-b-2 px-2 py-1.5",
		isCurrent ? "border-accent font-medium text-accent-text" : "border-transparent text-muted hover:text-fg",
	);
