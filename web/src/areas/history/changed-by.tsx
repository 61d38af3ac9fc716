/** Who changed an object, in words, and what there is to know about the lookup. */
import type { AttributionReason, AttributionSummary } from "@weft/contracts";
import { useTimes } from "../../platform/profile.ts";
import { Banner } from "../../ui/page.tsx";
import type { Entry } from "./compare-model.ts";

const REASONS: Readonly<Record<AttributionReason, string>> = {
	no_record: "No record of a change",
	rotated: "The controller no longer has the record",
	not_readable: "The controller does not let this connection read its records",
};
const UNKNOWN = "Not all records could be read";

/** Who changed an object; nothing where that was not looked up. */
export function ChangedByView({ entry }: { readonly entry: Pick<Entry, "changedBy" | "reason"> }) {
	const times = useTimes();
	const { changedBy, reason } = entry;
	if (changedBy === undefined) return null;
	const [latest, ...others] = changedBy.map(
		({ user, action, at }) => `${user || "Unknown user"} ${action} it, ${times.dateTime(at)}`,
	);
	if (latest === undefined)
		return <span className="min-w-0 truncate text-muted text-xs">{reason ? REASONS[reason] : UNKNOWN}</span>;
	return (
		<span className="min-w-0 truncate text-xs" title={[latest, ...others].join("\n")}>
			<span className="sr-only">Changed by </span>
			{latest}
			{others.length > 0 && <span className="text-muted"> and {others.length} more</span>}
		</span>
	);
}

/** Below it, whole seconds of `Date` headers and a slow answer explain the difference. */
const NOTABLE_SKEW_MS = 5_000;

/** Sentences about the lookup, if there is anything to say. */
export function AttributionNote({ attribution }: { readonly attribution: AttributionSummary | undefined }) {
	if (attribution === undefined) return null;
	const { clock_skew_ms: skew, complete, error } = attribution;
	const notes = [
		...(error === null ? [] : [error]),
		...(complete || error !== null
			? []
			: ["Not all records could be read. Compare snapshots that are closer together."]),
		...(skew === null || Math.abs(skew) < NOTABLE_SKEW_MS ? [] : [formatSkew(skew)]),
	];
	if (notes.length === 0) return null;
	return (
		<div className="px-5 py-2">
			<Banner tone="warn" title="Who changed it" detail={notes.join(" ")} />
		</div>
	);
}

/** The clock skew, in words. */
function formatSkew(ms: number): string {
	const seconds = Math.round(Math.abs(ms) / 1_000);
	const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
	const parts = [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, seconds % 60 > 0 && `${seconds % 60} s`];
	const way = ms > 0 ? "ahead" : "behind";
	return `The controller's clock is ${parts.filter(Boolean).join(" ")} ${way}. Times of changes are by its clock.`;
}
