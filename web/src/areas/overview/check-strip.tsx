/** Checks as a strip: how many of each severity are failing, in error, and ok. */
import { Link } from "@tanstack/react-router";
import type { Check } from "@weft/contracts";
import { FINDING_SEVERITIES } from "@weft/contracts/browser";
import { Pill } from "../../ui/pill.tsx";

const TONES = { info: "neutral", warning: "warn", critical: "bad" } as const;

/** @param total checks that there are, of which `checks` are the worst */
export function CheckStrip({ checks, total }: { readonly checks: readonly Check[]; readonly total: number }) {
	const active = checks.filter(({ is_active }) => is_active);
	if (active.length === 0) return null;
	const bad = active.filter(({ state }) => state === "failing" || state === "error");
	const count = (state: Check["state"]) => active.filter((check) => check.state === state).length;
	const isCut = total > checks.length;
	return (
		<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2">
			{FINDING_SEVERITIES.toReversed().map((severity) => {
				const failing = bad.filter((check) => check.severity === severity).length;
				return (
					<Link key={severity} to="/checks" search={{ severity }} className="rounded-full hover:underline">
						<Pill tone={failing > 0 ? TONES[severity] : "neutral"}>
							{failing} {severity}
						</Pill>
					</Link>
				);
			})}
			<span className="text-muted">
				{count("ok")} ok, {count("pending")} pending, {count("unknown")} not evaluated
				{isCut && ` (the worst ${checks.length} of ${total} checks)`}
			</span>
		</div>
	);
}
