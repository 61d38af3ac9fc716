/** First steps of a new installation; hidden when done or dismissed. */
import { Link } from "@tanstack/react-router";
import { Circle, CircleCheck, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMay } from "../../platform/profile.ts";
import { IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { useKnownProblems } from "./problems.ts";

interface StepsProps {
	readonly connected: boolean;
	readonly saved: boolean;
	readonly ran: boolean;
	readonly kept: boolean;
	readonly scheduled: boolean;
}

const KEY = "weft.first-steps";

export function FirstSteps({ connected, saved, ran, kept, scheduled }: StepsProps) {
	const [closed, setClosed] = useState(() => localStorage.getItem(KEY) !== null);
	const may = useMay();
	const shown = !closed && !(connected && saved && ran && kept && scheduled);
	const problems = useKnownProblems();
	if (!shown) return null;
	const link = "font-medium text-accent-text hover:underline";
	const steps: readonly (readonly [string, boolean, ReactNode])[] = [
		[
			"connect",
			connected,
			<Link key="connect" to="/settings/connections" search={{ edit: "new" }} className={link}>
				Add a fabric and test it
			</Link>,
		],
		[
			"model",
			typeof problems.data?.controller_version === "string",
			may("admin") ? (
				<Link key="model" to="/settings/model" className={link}>
					Load the class model
				</Link>
			) : (
				"Ask an administrator to load the class model"
			),
		],
		[
			"draw",
			saved,
			<Link key="draw" to="/builder" className={link}>
				Draw a query and save it
			</Link>,
		],
		[
			"run",
			ran,
			<Link key="run" to="/library" className={link}>
				Run it and view its rows
			</Link>,
		],
		[
			"keep",
			kept,
			<Link key="keep" to="/time-machine" className={link}>
				Turn on snapshots for it
			</Link>,
		],
		[
			"schedule",
			scheduled,
			<Link key="schedule" to="/schedules" search={{ new: "1" }} className={link}>
				Schedule it
			</Link>,
		],
	];
	return (
		<section aria-label="First steps" className="rounded-card border border-line bg-surface px-3 py-2.5">
			<header className="flex items-center gap-2">
				<h2 className="m-0 flex-1 font-semibold text-base">First steps</h2>
				{may("admin") && (
					<Link to="/setup" className={link}>
						Set up for a team
					</Link>
				)}
				<IconButton
					variant="ghost"
					label="Do not show this again"
					icon={X}
					onClick={() => {
						localStorage.setItem(KEY, "closed");
						setClosed(true);
					}}
				/>
			</header>
			<ol className="m-0 flex list-none flex-wrap gap-x-6 gap-y-1.5 p-0">
				{steps.map(([key, done, content]) => (
					<li key={key} className="flex items-center gap-1.5">
						{done ? (
							<CircleCheck size={15} className="text-ok" role="img" aria-label="Done" />
						) : (
							<Circle size={15} className="text-muted" role="img" aria-label="To do" />
						)}
						<span className={joinClasses(done && "text-muted line-through [&_a]:text-muted")}>{content}</span>
					</li>
				))}
			</ol>
		</section>
	);
}
