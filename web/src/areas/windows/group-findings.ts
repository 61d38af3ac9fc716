/** Findings of the same change on several objects, side by side. Pure. */
import type { WindowFinding } from "@weft/contracts";

export interface FindingGroup {
	readonly key: string;
	readonly members: readonly WindowFinding[];
}

/** Groups in the order of their first finding. One with objects or numbers of its own is alone. */
export function groupFindings(findings: readonly WindowFinding[]): FindingGroup[] {
	const groups = new Map<string, WindowFinding[]>();
	for (const finding of findings) {
		const key = getChangeKey(finding);
		const known = groups.get(key);
		if (known === undefined) groups.set(key, [finding]);
		else known.push(finding);
	}
	return [...groups].map(([key, members]) => ({ key, members }));
}

function getChangeKey(finding: WindowFinding): string {
	const { id, class: kind, item, class_name, change, attributes, dn, accepted_by, foreign } = finding;
	if (dn === null || change !== "modified" || attributes.length === 0 || accepted_by !== null) return id;
	return JSON.stringify([
		kind,
		item,
		class_name,
		foreign,
		attributes.map(({ name, before, after }) => [name, before, after]),
	]);
}
