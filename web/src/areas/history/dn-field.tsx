/** A DN, completed from those that occur in the snapshots of a query. */
import { timeMachineRoutes } from "@weft/contracts/browser";
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { joinClasses } from "../../ui/classes.ts";
import { Dn } from "../../ui/dn.tsx";
import { Floating } from "../../ui/floating.tsx";

interface DnFieldProps {
	readonly queryId: string;
	/** Undefined: DNs of all controllers. */
	readonly controller: string | undefined;
	readonly value: string;
	readonly className?: string;
	onChoose(dn: string): void;
}

const PAUSE_MS = 150;
const MOST = 50;

export function DnField({ queryId, controller, value, className, onChoose }: DnFieldProps) {
	const id = useId();
	const field = useRef<HTMLInputElement>(null);
	const [text, setText] = useState(value);
	const [asked, setAsked] = useState(value);
	const [open, setOpen] = useState(false);
	const [at, setAt] = useState(-1);
	useEffect(() => setText(value), [value]);
	useEffect(() => {
		const timer = setTimeout(() => setAsked(text), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [text]);
	const { data } = useAnswer(
		timeMachineRoutes.dns,
		{
			params: { id: queryId },
			query: {
				q: asked,
				limit: String(MOST),
				...(controller === undefined ? {} : { controller_connection_id: controller }),
			},
		},
		{ enabled: open, keepPrevious: true, staleTime: 60_000 },
	);
	const dns = open ? (data?.dns ?? []) : [];
	const choose = (dn: string) => {
		setText(dn);
		setOpen(false);
		setAt(-1);
		onChoose(dn);
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			event.preventDefault();
			setOpen(true);
			const step = event.key === "ArrowDown" ? 1 : -1;
			setAt((before) => (dns.length === 0 ? -1 : (before + step + dns.length) % dns.length));
		} else if (event.key === "Enter") {
			event.preventDefault();
			choose(dns[at]?.dn ?? text.trim());
		} else if (event.key === "Escape" && open) {
			event.stopPropagation();
			setOpen(false);
		}
	};
	return (
		<>
			<input
				ref={field}
				role="combobox"
				aria-label="Distinguished name"
				aria-expanded={open && dns.length > 0}
				aria-controls={`${id}-list`}
				aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
				aria-autocomplete="list"
				placeholder="uni/tn-prod/BD-web"
				value={text}
				spellCheck={false}
				autoComplete="off"
				className={joinClasses("control mono", className ?? "w-full")}
				onChange={(event) => {
					setText(event.target.value);
					setOpen(true);
					setAt(-1);
				}}
				onFocus={(event) => event.target.select()}
				onClick={() => setOpen(true)}
				onBlur={() => setTimeout(() => setOpen(false), PAUSE_MS)}
				onKeyDown={onKeyDown}
			/>
			{open && dns.length > 0 && <DnOptions {...{ id, anchor: field, dns, at }} onChoose={choose} />}
		</>
	);
}

interface DnOptionsProps {
	/** Id of the field, which the ids of list and options begin with. */
	readonly id: string;
	readonly anchor: RefObject<HTMLInputElement | null>;
	readonly dns: readonly { readonly dn: string; readonly className: string }[];
	/** Place of the marked option; -1: none. */
	readonly at: number;
	onChoose(dn: string): void;
}

function DnOptions({ id, anchor, dns, at, onChoose }: DnOptionsProps) {
	return (
		<Floating anchor={anchor} fit light={false} className="overflow-y-auto p-1">
			<div id={`${id}-list`} role="listbox" aria-label="Distinguished names" tabIndex={-1}>
				{dns.map(({ dn, className: name }, index) => (
					// biome-ignore lint/a11y/useKeyWithClickEvents: the field hears the keys
					<div
						key={dn}
						id={`${id}-${index}`}
						role="option"
						aria-selected={index === at}
						tabIndex={-1}
						ref={(element) => {
							if (index === at) element?.scrollIntoView({ block: "nearest" });
						}}
						className={joinClasses(
							"flex h-7 cursor-pointer items-center gap-3 rounded-cell px-2 hover:bg-sunken",
							index === at && "bg-accent-soft",
						)}
						onPointerDown={(event) => event.preventDefault()}
						onClick={() => onChoose(dn)}
					>
						<span className="min-w-0 flex-1">
							<Dn dn={dn} />
						</span>
						<span className="mono text-muted">{name}</span>
					</div>
				))}
			</div>
		</Floating>
	);
}
