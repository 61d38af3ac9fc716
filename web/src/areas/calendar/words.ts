/** Names and colours of the kinds of calendar entries. */
import type { CalendarEntry, CalendarKind } from "@weft/contracts";

export const KIND_NAMES: Readonly<Record<CalendarKind, string>> = { freeze: "Freeze", maintenance: "Maintenance" };
/** Kinds of what a month shows. */
export const MONTH_KIND_NAMES: Readonly<Record<CalendarKind | "change_window", string>> = {
	...KIND_NAMES,
	change_window: "Change window",
};
export const KIND_TONES = { freeze: "bad", maintenance: "accent" } as const satisfies Record<CalendarKind, string>;

/** Describes the fabrics of an entry. */
export function describeScope(entry: CalendarEntry, getName: (id: string) => string): string {
	if (entry.is_for_all) return "All fabrics";
	const names = [...entry.controller_connection_ids, ...entry.connection_group_ids].map(getName);
	const hidden = entry.hidden_count === 0 ? [] : [`${entry.hidden_count} that you do not see`];
	return [...names, ...hidden].join(", ") || "None (all deleted)";
}
