/** Groups and items of the command palette, and the delay of what it searches for. */
import { Command } from "cmdk";
import { type ReactNode, useEffect, useState } from "react";
import { Keys } from "../ui/kbd.tsx";

export function Group({ heading, children }: { heading: string; children: ReactNode }) {
	return (
		<Command.Group
			heading={heading}
			className="**:[[cmdk-group-heading]]:px-2 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-muted **:[[cmdk-group-heading]]:text-xs"
		>
			{children}
		</Command.Group>
	);
}

interface ItemProps {
	readonly value: string;
	readonly keywords?: string[];
	readonly keys?: string | undefined;
	readonly aside?: string;
	readonly children: ReactNode;
	onSelect(): void;
}

export function Item({ value, keywords, keys, aside, children, onSelect }: ItemProps) {
	return (
		<Command.Item
			value={value}
			{...(keywords ? { keywords } : {})}
			onSelect={onSelect}
			className="flex h-8 cursor-pointer items-center gap-3 rounded-control px-2 data-[selected=true]:bg-accent-soft data-[selected=true]:text-accent-text"
		>
			<span className="min-w-0 flex-1 truncate">{children}</span>
			{aside && <span className="mono shrink-0 truncate text-muted text-xs">{aside}</span>}
			{keys && <Keys combo={keys} />}
		</Command.Item>
	);
}

const DEBOUNCE_MS = 150;

/** The value, once it has not changed for a moment. */
export function useDebounced(value: string): string {
	const [settled, setSettled] = useState(value);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS);
		return () => clearTimeout(timer);
	}, [value]);
	return settled;
}
