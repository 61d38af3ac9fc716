/** What pages are made of: head, panels, empty states, waiting and failures. */
import { Link, type LinkProps } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, Info, type LucideIcon, RefreshCw, TriangleAlert } from "lucide-react";
import { Component, Fragment, type ReactNode, useEffect } from "react";
import { findProblem, isProgramError } from "../platform/problem.ts";
import { Button } from "./button.tsx";
import { joinClasses } from "./classes.ts";
import { CopyButton, writeReport } from "./copy.tsx";

export interface Crumb {
	readonly label: string;
	readonly to?: LinkProps["to"];
	readonly params?: Record<string, string>;
}

interface PageHeadProps {
	readonly title: ReactNode;
	/** Of the browser's tab; the title where that is text. */
	readonly name?: string;
	readonly crumbs?: readonly Crumb[];
	/** State and key facts. */
	readonly facts?: ReactNode;
	readonly actions?: ReactNode;
	/** A line below: the page fills the rest. */
	readonly ruled?: boolean;
	/** Stays at the top while the page scrolls. */
	readonly isPinned?: boolean;
}

export function PageHead({ title, name, crumbs = [], facts, actions, ruled = false, isPinned = false }: PageHeadProps) {
	const text = name ?? (typeof title === "string" ? title : "");
	useEffect(() => {
		document.title = text === "" ? "Weft" : `${text} - Weft`;
	}, [text]);
	return (
		<header
			className={joinClasses(
				"flex flex-wrap items-end gap-x-4 gap-y-2 px-5 pt-3 max-sm:px-4",
				ruled ? "border-line border-b bg-surface pb-2.5" : "pb-3",
				isPinned && "sticky top-0 z-20 bg-bg",
			)}
		>
			<div className="min-w-0 flex-1 basis-64">
				{crumbs.length > 0 && (
					<nav aria-label="Breadcrumb" className="text-muted text-xs">
						{crumbs.map(({ label, to, params }, index) => (
							<Fragment key={label}>
								{index > 0 && " / "}
								{to ? (
									<Link to={to} params={params as never} className="rounded-cell hover:text-fg hover:underline">
										{label}
									</Link>
								) : (
									<span>{label}</span>
								)}
							</Fragment>
						))}
					</nav>
				)}
				<h1 className="m-0 truncate font-semibold text-title" title={text}>
					{title}
				</h1>
				{facts && <div className="mt-0.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">{facts}</div>}
			</div>
			{actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
		</header>
	);
}

interface PanelProps {
	readonly title: ReactNode;
	/** At the right end of the head. */
	readonly aside?: ReactNode;
	readonly children: ReactNode;
	readonly className?: string;
	readonly padded?: boolean;
}

/** A card with a head; what breaks inside stays inside. */
export function Panel({ title, aside, children, className, padded = false }: PanelProps) {
	return (
		<section
			className={joinClasses(
				"flex min-w-0 flex-col overflow-hidden rounded-card border border-line bg-surface",
				className,
			)}
		>
			<header className="flex min-h-9 flex-wrap items-center gap-2 border-line border-b px-3 py-1">
				<h2 className="m-0 flex-1 font-semibold text-base">{title}</h2>
				{aside}
			</header>
			<Boundary>
				<div className={joinClasses("min-h-0 flex-1", padded && "p-3")}>{children}</div>
			</Boundary>
		</section>
	);
}

interface EmptyProps {
	readonly icon?: LucideIcon;
	/** One sentence: what this is, or why there is nothing. */
	readonly children: ReactNode;
	readonly action?: ReactNode;
}

export function Empty({ icon: Icon, children, action }: EmptyProps) {
	return (
		<div className="flex flex-col items-center gap-3 px-5 py-8 text-center">
			{Icon && <Icon size={22} className="text-muted" aria-hidden="true" />}
			<p className="m-0 max-w-[46ch] text-muted">{children}</p>
			{action && <div className="flex flex-wrap justify-center gap-2">{action}</div>}
		</div>
	);
}

/** Placeholder lines in the shape of the content, after a short delay. */
export function Skeleton({ lines = 3, className }: { lines?: number; className?: string }) {
	return (
		<div role="status" className={joinClasses("flex flex-col gap-3 p-3", className)}>
			<span className="sr-only">Loading</span>
			{Array.from({ length: lines }, (_, line) => line).map((line) => (
				<span key={line} className={joinClasses("skeleton block h-3.5", ["w-full", "w-4/5", "w-1/2"][line % 3])} />
			))}
		</div>
	);
}

const BANNERS = {
	info: ["bg-accent-soft text-accent-text", Info],
	ok: ["bg-ok-soft text-ok", CircleCheck],
	warn: ["bg-warn-soft text-warn", TriangleAlert],
	bad: ["bg-bad-soft text-bad", CircleAlert],
} as const;

interface BannerProps {
	readonly tone: keyof typeof BANNERS;
	readonly title: ReactNode;
	readonly detail?: ReactNode;
	readonly action?: ReactNode;
}

export function Banner({ tone, title, detail, action }: BannerProps) {
	const [look, Icon] = BANNERS[tone];
	return (
		<div
			role={tone === "bad" ? "alert" : "status"}
			className={joinClasses("flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card px-3 py-2", look)}
		>
			<Icon size={15} className="shrink-0" aria-hidden="true" />
			<div className="min-w-0 flex-1 basis-48 break-words">
				<span className="font-medium">{title}</span>
				{detail && <span className="text-fg"> {detail}</span>}
			</div>
			{action}
		</div>
	);
}

/**
 * A failure, with a way to try again and what to tell those who run the service. An error of the
 * program has a copy of its details in place of the repetition.
 */
export function ProblemBanner({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
	if (isProgramError(error)) return <ProgramErrorBanner error={error} />;
	const { title, detail, requestId, status } = findProblem(error);
	return (
		<Banner
			tone="bad"
			title={`${title}.`}
			detail={
				<>
					{detail}
					{requestId && (status ?? 0) >= 500 && (
						<>
							{" "}
							Request <span className="mono">{requestId}</span>{" "}
							<CopyButton text={requestId} label="Copy the request id" />
						</>
					)}
				</>
			}
			action={
				onRetry && (
					<Button icon={RefreshCw} onClick={onRetry}>
						Try again
					</Button>
				)
			}
		/>
	);
}

function ProgramErrorBanner({ error }: { error: unknown }) {
	const { title, detail } = findProblem(error);
	return (
		<div data-program-error>
			<Banner
				tone="bad"
				title={`${title}.`}
				detail={`${detail} Reload the page. If it fails again, send the details to those who run Weft.`}
				action={
					<CopyButton text={() => writeReport(error)} label="Copy the details">
						Copy the details
					</CopyButton>
				}
			/>
		</div>
	);
}

export interface AnswerLike<T> {
	readonly data: T | undefined;
	readonly error: unknown;
	readonly isPending: boolean;
	refetch(): unknown;
}

/** An answer in its three states. After a failure the previous content stays below the error. */
export function Loaded<T>({
	answer,
	lines,
	children,
}: {
	answer: AnswerLike<T>;
	lines?: number;
	children(data: T): ReactNode;
}) {
	const { data, error } = answer;
	return (
		<>
			{error != null && (
				<div className="p-3">
					<ProblemBanner error={error} onRetry={() => void answer.refetch()} />
				</div>
			)}
			{data !== undefined ? children(data) : error == null && <Skeleton {...(lines === undefined ? {} : { lines })} />}
		</>
	);
}

interface BoundaryProps {
	readonly children: ReactNode;
	/** A part that broke is drawn again when this changes, such as the address of the page. */
	readonly resetKey?: string;
	/** The part has no place in the page, such as a dialog: its failure is shown as a notice. */
	readonly isNoticed?: boolean;
}

/** Keeps a broken part from taking the page along. */
export class Boundary extends Component<BoundaryProps, { error: unknown }> {
	override state: { error: unknown } = { error: null };

	static getDerivedStateFromError(error: unknown) {
		return { error };
	}

	override componentDidUpdate({ resetKey }: BoundaryProps) {
		if (resetKey !== this.props.resetKey && this.state.error !== null) this.setState({ error: null });
	}

	override componentDidCatch(error: unknown) {
		if (this.props.isNoticed) reportError(error);
	}

	override render() {
		if (this.state.error === null) return this.props.children;
		if (this.props.isNoticed) return null;
		return (
			<div className="p-3">
				<ProblemBanner error={this.state.error} onRetry={() => this.setState({ error: null })} />
			</div>
		);
	}
}
