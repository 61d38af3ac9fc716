/** A word with a tone; never by colour alone, so a status always has its icon and its word. */
import {
	CircleCheck,
	CircleDashed,
	CircleMinus,
	CirclePause,
	CircleX,
	LoaderCircle,
	type LucideIcon,
	TriangleAlert,
} from "lucide-react";
import type { ReactNode } from "react";
import { joinClasses } from "./classes.ts";

export type Tone = "neutral" | "accent" | "ok" | "warn" | "bad" | "violet";

const TONES: Record<Tone, string> = {
	neutral: "bg-sunken text-muted ring-1 ring-line ring-inset",
	accent: "bg-accent-soft text-accent-text",
	ok: "bg-ok-soft text-ok",
	warn: "bg-warn-soft text-warn",
	bad: "bg-bad-soft text-bad",
	violet: "bg-violet-soft text-violet",
};

interface PillProps {
	readonly tone?: Tone;
	readonly icon?: LucideIcon;
	readonly spin?: boolean;
	readonly children: ReactNode;
	readonly title?: string;
}

export function Pill({ tone = "neutral", icon: Icon, spin = false, children, title }: PillProps) {
	return (
		<span
			title={title}
			className={joinClasses(
				"inline-flex h-5 max-w-full items-center gap-1 rounded-full px-2 font-medium text-xs",
				TONES[tone],
			)}
		>
			{Icon && (
				<Icon size={12} aria-hidden="true" className={joinClasses("shrink-0", spin && "motion-safe:animate-spin")} />
			)}
			<span className="truncate">{children}</span>
		</span>
	);
}

export type Look = readonly [word: string, tone: Tone, icon: LucideIcon, spin?: boolean];

/** Of runs, stages, executions and tasks. A status that is not here is shown as it is. */
const STATUSES: Readonly<Record<string, Look>> = {
	pending: ["Waiting", "neutral", CircleDashed],
	running: ["Running", "accent", LoaderCircle, true],
	completed: ["Succeeded", "ok", CircleCheck],
	success: ["Succeeded", "ok", CircleCheck],
	failed: ["Failed", "bad", CircleX],
	cancelled: ["Cancelled", "neutral", CircleMinus],
	unsupported: ["Class unknown there", "neutral", CircleMinus],
	skipped: ["Skipped", "neutral", CircleMinus],
	partial: ["Partial", "warn", TriangleAlert],
	active: ["Active", "ok", CircleCheck],
	paused: ["Paused", "warn", CirclePause],
	disabled: ["Disabled", "bad", CircleX],
};

export const Status = ({ status }: { status: string }) => <State looks={STATUSES} status={status} />;

/** A state with its look. One without a look is shown as it is. */
export function State({ looks, status }: { looks: Readonly<Record<string, Look>>; status: string }) {
	const [word, tone, icon, spin = false] = looks[status] ?? [status, "neutral", CircleDashed];
	return (
		<Pill tone={tone} icon={icon} spin={spin}>
			{word}
		</Pill>
	);
}
