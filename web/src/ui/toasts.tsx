/** Draws the notices, with a way back where there is one. Not part of the first page. */
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { TextButton } from "./button.tsx";
import { type Toast, useToasts } from "./toast.tsx";

const STAYS_MS = 6_000;
/** As long as something can be undone. */
const UNDO_MS = 10_000;

const removeToast = (id: number) =>
	useToasts.setState(({ list }) => ({ list: list.filter((toast) => toast.id !== id) }));

export function Toasts() {
	const { list } = useToasts();
	// The region is there before its first text: only then is the text read out.
	return (
		<section
			aria-label="Notices"
			className="pointer-events-none fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2"
		>
			<div role="status" className="flex flex-col gap-2">
				{list.map((toast) => (
					<Item key={toast.id} toast={toast} />
				))}
			</div>
		</section>
	);
}

function Item({ toast: { id, text, action, isProgramError: stays } }: { toast: Toast }) {
	const [held, setHeld] = useState(false);
	useEffect(() => {
		if (held || stays) return;
		const timer = setTimeout(() => removeToast(id), action ? UNDO_MS : STAYS_MS);
		return () => clearTimeout(timer);
	}, [held, stays, id, action]);
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: it only pauses its timeout
		<div
			data-program-error={stays || undefined}
			className="pointer-events-auto flex items-center gap-3 rounded-card bg-surface py-2 pr-2 pl-3 shadow-overlay motion-safe:animate-[slide-in_140ms]"
			onPointerEnter={() => setHeld(true)}
			onPointerLeave={() => setHeld(false)}
			onFocus={() => setHeld(true)}
			onBlur={() => setHeld(false)}
		>
			<span className="min-w-0 flex-1 break-words font-medium">{text}</span>
			{action && (
				<TextButton
					onClick={() => {
						if (!stays) removeToast(id);
						action.run();
					}}
				>
					{action.label}
				</TextButton>
			)}
			<button
				type="button"
				aria-label="Close"
				className="grid size-6 shrink-0 place-items-center rounded-cell text-muted hover:bg-sunken"
				onClick={() => removeToast(id)}
			>
				<X size={14} aria-hidden="true" />
			</button>
		</div>
	);
}
