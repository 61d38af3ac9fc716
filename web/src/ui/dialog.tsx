/** Dialogs, drawers, and confirmations. The platform handles focus, Escape and the backdrop. */
import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { joinClasses } from "./classes.ts";
import { Boundary, ProblemBanner } from "./page.tsx";

interface ModalProps {
	/** The name, where no title carries `labelledBy`. */
	readonly label?: string;
	readonly labelledBy?: string;
	readonly describedBy?: string | undefined;
	/** False: it is left by its verbs only. */
	readonly dismissible?: boolean;
	readonly className: string;
	readonly children: ReactNode;
	onClose(): void;
}

const FIRST = ":is(input:not([type=hidden], :disabled), select, textarea, button:not([data-minor]), a[href])";

/** Mounted while open. Focuses `data-autofocus`, or the first control that is not `data-minor`. */
export function Modal({
	label,
	labelledBy,
	describedBy,
	dismissible = true,
	className,
	children,
	onClose,
}: ModalProps) {
	const ref = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => {
		const dialog = ref.current;
		dialog?.showModal();
		const first = ["[data-autofocus]", `[data-body] ${FIRST}`, `footer ${FIRST}:last-child`, FIRST]
			.map((selector) => dialog?.querySelector<HTMLElement>(selector))
			.find((found) => found);
		first?.focus();
		// Closing gives the focus back to where it was.
		return () => dialog?.close();
	}, []);
	const onClick = (event: MouseEvent<HTMLDialogElement>) => {
		if (event.target !== ref.current || !dismissible) return;
		const { left, right, top, bottom } = ref.current.getBoundingClientRect();
		const outside = event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
		if (outside) onClose();
	};
	return (
		// biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it
		<dialog
			ref={ref}
			aria-label={label}
			aria-labelledby={labelledBy}
			aria-describedby={describedBy}
			className={joinClasses(
				"fixed m-0 max-w-none flex-col border-0 bg-surface p-0 text-fg shadow-overlay backdrop:bg-scrim open:flex motion-safe:animate-[slide-in_140ms]",
				className,
			)}
			onClick={onClick}
			onCancel={(event) => {
				if (event.target !== event.currentTarget) return;
				event.preventDefault();
				if (dismissible) onClose();
			}}
		>
			<Boundary>{children}</Boundary>
		</dialog>
	);
}

interface DialogProps {
	readonly open: boolean;
	readonly title: string;
	readonly description?: ReactNode;
	readonly children?: ReactNode;
	/** Verbs, the main one last. */
	readonly actions?: ReactNode;
	readonly side?: "center" | "right";
	readonly wide?: boolean;
	readonly dismissible?: boolean;
	onClose(): void;
}

export function Dialog({ open, ...rest }: DialogProps) {
	return open ? <OpenDialog {...rest} /> : null;
}

function OpenDialog({
	title,
	description,
	children,
	actions,
	side = "center",
	wide = false,
	dismissible = true,
	onClose,
}: Omit<DialogProps, "open">) {
	const id = useId();
	return (
		<Modal
			labelledBy={`${id}-title`}
			describedBy={description ? `${id}-text` : undefined}
			dismissible={dismissible}
			onClose={onClose}
			className={joinClasses(
				side === "right"
					? "inset-y-0 right-0 left-auto h-dvh max-h-none w-[min(560px,100vw)]"
					: "inset-x-0 top-[max(16px,10vh)] bottom-auto mx-auto! max-h-[min(84vh,calc(100dvh-32px))] w-[calc(100vw-32px)] rounded-dialog",
				side === "center" && (wide ? "max-w-3xl!" : "max-w-lg!"),
			)}
		>
			<header className="flex items-start gap-3 px-5 pt-4 pb-3">
				<div className="min-w-0 flex-1">
					<h2 id={`${id}-title`} className="m-0 font-semibold text-md">
						{title}
					</h2>
					{description && (
						<p id={`${id}-text`} className="m-0 mt-1 text-muted">
							{description}
						</p>
					)}
				</div>
				{dismissible && <IconButton variant="ghost" label="Close" icon={X} onClick={onClose} />}
			</header>
			{children && (
				<div data-body className="min-h-0 flex-1 overflow-y-auto px-5 pb-4">
					{children}
				</div>
			)}
			{actions && (
				<footer className="flex flex-wrap justify-end gap-2 border-line border-t px-5 py-3">{actions}</footer>
			)}
		</Modal>
	);
}

interface ConfirmProps {
	readonly open: boolean;
	readonly title: string;
	/** Names the object that is lost. */
	readonly children: ReactNode;
	readonly verb: string;
	onConfirm(): Promise<unknown>;
	onClose(): void;
}

export function Confirm({ open, title, children, verb, onConfirm, onClose }: ConfirmProps) {
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const confirm = async () => {
		setBusy(true);
		setError(null);
		try {
			await onConfirm();
			onClose();
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog
			open={open}
			title={title}
			onClose={onClose}
			actions={
				<>
					<Button data-autofocus onClick={onClose}>
						Cancel
					</Button>
					<Button variant="danger" busy={busy} onClick={confirm}>
						{verb}
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{children}
				{error !== null && <ProblemBanner error={error} />}
			</div>
		</Dialog>
	);
}
