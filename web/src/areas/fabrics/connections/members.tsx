/** The controllers of a connection with several addresses, and whether they are in use. */
import type { ControllerConnection } from "@weft/contracts";
import { useTimes } from "../../../platform/profile.ts";
import { Pill } from "../../../ui/pill.tsx";

type Member = ControllerConnection["members"][number];

const STATES: Readonly<
	Record<Member["state"], { readonly label: string; readonly tone: "ok" | "bad" | "warn" | "neutral" }>
> = {
	ok: { label: "In use", tone: "ok" },
	unknown: { label: "Not asked yet", tone: "neutral" },
	down: { label: "Down", tone: "bad" },
	partial: { label: "Partial", tone: "warn" },
	standby: { label: "Standby", tone: "warn" },
	other_fabric: { label: "Other fabric", tone: "bad" },
};

/** How many of several addresses are in use; nothing for a single one. */
export function MembersPill({ members }: { members: readonly Member[] }) {
	if (members.length < 2) return null;
	const failed = members.filter(({ state }) => state !== "ok" && state !== "unknown");
	const title = members.map(({ url, state }) => `${url}: ${STATES[state].label}`).join("\n");
	return (
		<span title={title}>
			<Pill tone={failed.length === 0 ? "ok" : failed.length === members.length ? "bad" : "warn"}>
				{members.length - failed.length} of {members.length}
				<span className="sr-only"> controllers in use</span>
			</Pill>
		</span>
	);
}

export function Members({ members }: { members: readonly Member[] }) {
	const times = useTimes();
	return (
		<ul aria-label="Controllers" className="m-0 flex list-none flex-col gap-1.5 p-0">
			{members.map(({ url, state, last_error, since }) => (
				<li key={url} className="flex min-w-0 flex-col gap-0.5">
					<span className="flex min-w-0 items-center gap-2">
						<Pill tone={STATES[state].tone}>{STATES[state].label}</Pill>
						<span className="mono truncate" title={url}>
							{url}
						</span>
						{since !== null && (
							<span className="shrink-0 text-muted" title={times.dateTime(since)}>
								{times.relative(since)}
							</span>
						)}
					</span>
					{last_error !== null && <span className="text-muted">{last_error}</span>}
				</li>
			))}
		</ul>
	);
}
