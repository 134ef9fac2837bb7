// A page that fails leaves the navigation, and says so.
import { Component, type ComponentChildren } from 'preact';
import { ErrorBox } from '../components/error-box.tsx';
import { text } from '../text.ts';

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
}

/** Errors of rendering: a class, as hooks cannot catch them. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ failed: true });
    // For reports of defects: the console of the browser has the stack.
    reportError(error);
  }

  override render() {
    if (this.state.failed) return <ErrorBox error={new Error(text('error.unknown'))} />;
    return this.props.children;
  }
}
