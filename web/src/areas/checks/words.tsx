/** States, severities and types of checks in words, each with its own icon. */
import type { Check, CheckStateEntry, CheckType, FindingSeverity, CheckState as State } from "@weft/contracts";
import {
	BellOff,
	CircleAlert,
	CircleCheck,
	CircleDashed,
	CircleX,
	Hourglass,
	Info,
	TriangleAlert,
	UserCheck,
} from "lucide-react";
import { formatPerson } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { type Look, Pill, State as StatePill } from "../../ui/pill.tsx";
import { isMuted, isUnwatched } from "./entries.ts";

const STATE_LOOKS: Readonly<Record<State, Look>> = {
	failing: ["Failing", "bad", CircleX],
	error: ["Error", "violet", TriangleAlert],
	pending: ["Pending", "warn", Hourglass],
	unknown: ["Unknown", "neutral", CircleDashed],
	ok: ["OK", "ok", CircleCheck],
};
const SEVERITY_LOOKS: Readonly<Record<FindingSeverity, Look>> = {
	critical: ["Critical", "bad", CircleAlert],
	warning: ["Warning", "warn", TriangleAlert],
	info: ["Info", "accent", Info],
};
export const TYPE_NAMES: Readonly<Record<CheckType, string>> = {
	no_rows: "No rows",
	row_count: "Number of rows",
	each_row: "Every row meets conditions",
	unique: "Unique values",
	same_everywhere: "Equal in all fabrics",
	unchanged: "Nothing changed since the last snapshot",
	trend: "Trend of a number",
};

export const formatState = (state: State): string => STATE_LOOKS[state]?.[0] ?? state;
export const formatSeverity = (severity: FindingSeverity): string => SEVERITY_LOOKS[severity]?.[0] ?? severity;

export const CheckState = ({ state }: { state: State }) => <StatePill looks={STATE_LOOKS} status={state} />;
export const Severity = ({ severity }: { severity: FindingSeverity }) => (
	<StatePill looks={SEVERITY_LOOKS} status={severity} />
);

/** Formats the name of an entry's connection; null stands for all connections together. */
export const formatConnectionName = ({
	controller_connection_name: name,
}: Pick<CheckStateEntry, "controller_connection_name">) => name ?? "All fabrics";

/** Icons of an acknowledged and of a muted entry, with words for screen readers. */
export function Marks({ entry }: { entry: CheckStateEntry }) {
	const times = useTimes();
	const { acknowledged_by, muted_until } = entry;
	const known = acknowledged_by && `Acknowledged by ${formatPerson(acknowledged_by)}`;
	const muted = isMuted(entry, Date.now()) && `Muted until ${times.dateTime(muted_until ?? "")}`;
	return (
		<>
			{known && <Mark icon={UserCheck} text={known} />}
			{muted && <Mark icon={BellOff} text={muted} />}
		</>
	);
}

function Mark({ icon: Icon, text }: { icon: typeof BellOff; text: string }) {
	return (
		<span title={text} className="inline-flex shrink-0 text-muted">
			<Icon size={13} aria-hidden="true" />
			<span className="sr-only">{text}</span>
		</span>
	);
}

type Flagged = Pick<Check, "is_active" | "is_watched" | "is_public" | "muted_until">;

/** Marks of a check that is muted as a whole, off, not watched or public. */
export function CheckFlags({ check }: { check: Flagged }) {
	const times = useTimes();
	return (
		<>
			{isMuted(check, Date.now()) && <Pill>Muted until {times.dateTime(check.muted_until ?? "")}</Pill>}
			{!check.is_active && <Pill tone="warn">Off</Pill>}
			{isUnwatched(check) && (
				<Pill tone="warn" title="No schedule runs this check's query. It is evaluated only when you run it.">
					Not watched
				</Pill>
			)}
			{check.is_public && <Pill>Public</Pill>}
		</>
	);
}
