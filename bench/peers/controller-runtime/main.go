// A controller with controller-runtime that does the work of Fairlead's lifecycle: status processing, a POST to the provider,
// status ready. Usage: controller-runtime GROUP NAMESPACE ENDPOINT, with KUBECONFIG.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/go-logr/logr"
)

type Resource struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              map[string]any `json:"spec"`
	Status            map[string]any `json:"status,omitempty"`
}

func (in *Resource) DeepCopyObject() runtime.Object {
	out := &Resource{TypeMeta: in.TypeMeta, Spec: runtime.DeepCopyJSON(in.Spec)}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Status != nil {
		out.Status = runtime.DeepCopyJSON(in.Status)
	}
	return out
}

type ResourceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Resource `json:"items"`
}

func (in *ResourceList) DeepCopyObject() runtime.Object {
	out := &ResourceList{TypeMeta: in.TypeMeta, ListMeta: in.ListMeta}
	for i := range in.Items {
		out.Items = append(out.Items, *in.Items[i].DeepCopyObject().(*Resource))
	}
	return out
}

// Statuses are the two that the bare client writes, as JSON.
type Statuses struct {
	Processing map[string]any `json:"processing"`
	Ready      map[string]any `json:"ready"`
}

type reconciler struct {
	client   client.Client
	endpoint string
	http     *http.Client
	statuses Statuses
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var resource Resource
	if err := r.client.Get(ctx, request.NamespacedName, &resource); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if resource.Status["state"] == "ready" {
		return ctrl.Result{}, nil
	}
	// The resourceVersion of a stale cache is refused here, before anything is sent.
	resource.Status = runtime.DeepCopyJSON(r.statuses.Processing)
	if err := r.client.Status().Update(ctx, &resource); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	outputs, err := r.deliver(ctx, &resource)
	if err != nil {
		return ctrl.Result{}, err
	}
	resource.Status = runtime.DeepCopyJSON(r.statuses.Ready)
	resource.Status["outputs"] = outputs
	resource.Status["appliedConfig"] = resource.Spec["config"]
	return ctrl.Result{}, client.IgnoreNotFound(r.client.Status().Update(ctx, &resource))
}

func (r *reconciler) deliver(ctx context.Context, resource *Resource) (any, error) {
	body, err := json.Marshal(resource.Spec)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := r.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the provider answered %d", answer.StatusCode)
	}
	var result struct {
		Outputs any `json:"outputs"`
	}
	return result.Outputs, json.Unmarshal(content, &result)
}

func run(group, namespace, endpoint string) error {
	log.SetLogger(logr.Discard())
	r := &reconciler{endpoint: endpoint}
	if err := json.Unmarshal([]byte(os.Getenv("STATUSES")), &r.statuses); err != nil {
		return err
	}
	version := schema.GroupVersion{Group: group, Version: "v1alpha1"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(version.WithKind("Resource"), &Resource{})
	scheme.AddKnownTypeWithName(version.WithKind("ResourceList"), &ResourceList{})
	metav1.AddToGroupVersion(scheme, version)

	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	// No limit of the client: what is measured is the framework.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Cache:   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	r.client = manager.GetClient()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32
	r.http = &http.Client{Transport: transport}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Resource{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 16}).
		Complete(r)
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: controller-runtime GROUP NAMESPACE ENDPOINT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
