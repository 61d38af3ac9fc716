/** The name of a copied task. */
const MAX = 200;
const SUFFIX = " (Copy)";

/** With ` (Copy)` at its end; the rest gives way where both are too long. */
export const copyName = (name: string): string => {
	const kept = [...name];
	while (kept.join("").length + SUFFIX.length > MAX) kept.pop();
	return `${kept.join("").trimEnd()}${SUFFIX}`;
};
